-- The few changes whose policies say how their groups roll are looked at every two seconds.
CREATE INDEX "change_shape" ON "change" ("cluster_id") WHERE "shape" IS NOT NULL;
