/** States in which a change is not over. */
export const OPEN = ['waiting', 'rejected', 'approved', 'running', 'stuck']

/** The same, as a list in SQL. */
export const OPEN_SQL = OPEN.map((state) => `'${state}'`).join(', ')
