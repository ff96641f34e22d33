-- The list by age: ties are rare, so the rest of its order is sorted as it is read.
-- CreateIndex
CREATE INDEX "machine_created_at_idx" ON "machine"("created_at");
