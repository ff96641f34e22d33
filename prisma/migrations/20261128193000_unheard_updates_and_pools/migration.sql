-- Why ClusterVersion, pools or their nodes cannot be read any more, in the API server's words, and since when. Null: they are heard, as
-- far as a worker of before knew.
ALTER TABLE "cluster_updates" ADD COLUMN "unheard_why" TEXT, ADD COLUMN "unheard_since" TIMESTAMPTZ(3);
ALTER TABLE "config_pool" ADD COLUMN "unheard_why" TEXT, ADD COLUMN "unheard_since" TIMESTAMPTZ(3);
