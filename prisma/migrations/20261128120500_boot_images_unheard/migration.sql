-- What boot images rest on and is not heard any more, and when it was heard last.
ALTER TABLE "openshift_cluster" ADD COLUMN "unheard_since" TIMESTAMPTZ(3),
ADD COLUMN "unheard_why" TEXT;
