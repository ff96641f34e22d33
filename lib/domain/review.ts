/** Whether what somebody decided until a date is to be looked at again; without a date it never is. */
export const isDue = (reviewAt: Date | null | undefined, now: Date): boolean =>
  reviewAt != null && reviewAt.getTime() <= now.getTime()
