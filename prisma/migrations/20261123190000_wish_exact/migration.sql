-- Two changes with one wish may still want other dates, or other secrets: then what one is through with says nothing of the other.
ALTER TABLE "change" ADD COLUMN "wish_exact" TEXT;
