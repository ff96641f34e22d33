-- How the topology of a managed Cluster calls a worker group: by that it says in which order they get a version.
ALTER TABLE "machine_group" ADD COLUMN "topology_name" TEXT;
