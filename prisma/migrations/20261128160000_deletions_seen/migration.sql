-- How many machines are deleted in the way that somebody approved, as they saw it: more of them nobody showed them. Those that go for
-- spares are among them, so where only those were kept, at least as many were shown.
ALTER TABLE "approval" RENAME COLUMN "spares" TO "deletions";
