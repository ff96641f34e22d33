/**
 * To be put behind `config_pool p`: `w`, the pause that stands, which is the newest word on a pool that is still paused.
 * Another that was written since, from here or elsewhere, takes its place.
 */
export const POOL_REVIEW = `LEFT JOIN LATERAL (
    SELECT a.id, a.action, a.review_at, a.review_told_at, a.actor_name FROM skew_action a
    WHERE a.cluster_id = p.cluster_id AND a.kind = 'pool' AND a.target = 'machineconfigpools/' || p.name AND a.state = 'seen'
    ORDER BY a.recorded_at DESC LIMIT 1
  ) w ON p.paused AND w.action = 'pause'`
