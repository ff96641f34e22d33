/** Why what was let go is held again by itself, for people: it goes on as something else than was approved. */
export const SINCE_LET_GO = {
  edited: 'the configuration of its machines was edited since it was let go',
  byDate: 'its approvals do not count for all that its date moves by now',
  lost: 'a template that its machines were made from is gone since it was let go in place, and nothing can be compared with it any more',
  spare:
    'its strategy brings a spare machine first by now, for which another one is deleted, and it was let go in place without',
  ruled: 'a rule of its group replaces machines by now, and it was let go in place',
  unasked:
    'a machine is marked by now, or lacks what is compared, so that Cluster API replaces it without asking, and it was let go in place',
}

/** It stands on the group, and speaks of what went before, also where what waits is told as another change since. */
export const isSinceLetGo = (why: string): boolean => Object.values(SINCE_LET_GO).includes(why)
