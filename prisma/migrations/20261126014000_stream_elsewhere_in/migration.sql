-- Which connected clusters the rows of such objects belong to.
ALTER TABLE "stream" ADD COLUMN "elsewhere_in" UUID[] NOT NULL DEFAULT '{}';
