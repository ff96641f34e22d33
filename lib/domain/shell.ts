/** What may stand in a command that somebody copies into a shell: a name, and nothing else that a cluster says. */
export const isShellName = (part: string): boolean => /^[\w/][\w.:/-]*$/.test(part)
