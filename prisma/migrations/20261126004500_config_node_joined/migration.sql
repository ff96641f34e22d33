-- When a Node was made: the operator takes the oldest of a zone first (lib/domain/pools/turns.ts). Written with the next look at the nodes.
ALTER TABLE "config_node" ADD COLUMN "joined_at" TIMESTAMPTZ(3);
