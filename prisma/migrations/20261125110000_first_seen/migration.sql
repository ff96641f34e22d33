-- Changes that were stored before Drydock saw them; of those that were there before, what their groups still tell.
ALTER TABLE "change" ADD COLUMN "first_seen" BOOLEAN NOT NULL DEFAULT false;
UPDATE "change" c SET "first_seen" = true FROM "machine_group" g
  WHERE g.id = c.group_id AND g.cluster_id = c.cluster_id AND g.held IS NOT NULL AND c.state IN ('waiting', 'rejected')
    AND g.held_since < c.detected_at - interval '1 minute';
