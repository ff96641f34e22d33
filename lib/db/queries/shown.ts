/** So many of each thing that needs somebody are put before people; each query asks for one more, by which it is known that there are. */
export const SHOWN = 20
