-- On Azure, too, what an image of another publisher is called is no certain word of its age: all that is there is to be judged anew.
INSERT INTO "node_image_stale" ("cluster_id") SELECT "id" FROM "management_cluster";
