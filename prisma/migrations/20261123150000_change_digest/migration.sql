CREATE INDEX "change_group_id_digest_idx" ON "change"("group_id", "digest");
