-- Of a held group whose policy says that scaling goes on: how far it is carried through (lib/services/scaling); null: it is not.
ALTER TABLE "machine_group" ADD COLUMN "scaling" JSONB;
CREATE INDEX "group_scaling" ON "machine_group" ("cluster_id") WHERE "scaling" IS NOT NULL;

-- Of a control plane whose higher version waits: who let worker groups of its cluster get machines meanwhile, and when.
ALTER TABLE "change" ADD COLUMN "workers_grow_by" TEXT;
ALTER TABLE "change" ADD COLUMN "workers_grow_at" TIMESTAMPTZ(3);
CREATE INDEX "change_workers_grow" ON "change" ("cluster_id") WHERE "workers_grow_at" IS NOT NULL;
