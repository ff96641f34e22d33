/** Letters as LIKE takes them literally: a percent sign, an underscore and a backslash mean themselves. */
export const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
