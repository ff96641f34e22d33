/** A decision that somebody wrote over after it was taken up. */
export interface Lost {
  at: string
  /** Field manager; null: it is not known, as where what was written was taken away. */
  by: string | null
}

export const lostOf = (at: Date | null | undefined, by: string | null | undefined): Lost | null =>
  at ? { at: at.toISOString(), by: by ?? null } : null
