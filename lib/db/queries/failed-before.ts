/** In SQL, of a machine m: a change made it, it failed, and never came up since: it is not coming up. */
export const FAILED_BEFORE = `(m.state = 'provisioning' AND EXISTS (
  SELECT 1 FROM machine_progress o WHERE o.machine_id = m.id AND o.state = 'created' AND o.failed_at IS NOT NULL AND o.through_at IS NULL))`
