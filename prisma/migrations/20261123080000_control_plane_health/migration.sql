-- What the manager of control planes says of a machine: its parts, its node, and whether its member is still in etcd.
ALTER TABLE "machine" ADD COLUMN "plane" JSONB;

-- Whose etcd a control plane has: managed | external.
ALTER TABLE "machine_group" ADD COLUMN "etcd" TEXT;
