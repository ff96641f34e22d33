-- Waves go by the uid of a group alone: connected again under another name, its cluster is another one here.
CREATE INDEX "change_group_id_detected_at_idx" ON "change" ("group_id", "detected_at" DESC);
