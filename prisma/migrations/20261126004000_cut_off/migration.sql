-- Whether a decision was in force when its cluster was disconnected is written down then: two clocks would have to be compared else.
ALTER TABLE "decision" ADD COLUMN "cut_off" BOOLEAN NOT NULL DEFAULT false;

-- Of those before, as it was told until now.
UPDATE "decision" d SET "cut_off" = true FROM "change" c
WHERE c."id" = d."change_id" AND c."state" = 'superseded' AND d."state" = 'voided' AND c."finished_at" - d."voided_at" < interval '10 seconds';
