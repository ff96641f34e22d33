-- Which MachineConfiguration it is: the generation of one that was deleted and made anew counts from one again.
ALTER TABLE "openshift_cluster" ADD COLUMN "configuration_uid" TEXT;
