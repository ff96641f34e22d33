/** "Ada", "Ada and Bo", "Ada and 2 others". */
export function peopleWords([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first
  return `${first} and ${others.length === 1 ? others[0] : `${others.length} others`}`
}
