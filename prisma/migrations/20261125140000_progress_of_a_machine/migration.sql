-- What became of one machine, by the newest change that began with it (worker/not-called.ts).
CREATE INDEX "machine_progress_machine_id_idx" ON "machine_progress" ("machine_id");
