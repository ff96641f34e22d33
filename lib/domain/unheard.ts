/** What cannot be read any more, and the API server's words on it. */
export interface Unheard {
  /** "MachineConfiguration" */
  what: string
  message: string
}

/** "Its MachineConfiguration cannot be read: … is forbidden." */
export const unheardWords = ({ what, message }: Unheard): string =>
  `Its ${what} cannot be read: ${message.replace(/\.?$/, '.')}`

/** The same within a sentence. */
export const unheardLower = (unheard: Unheard): string => {
  const words = unheardWords(unheard)
  return `${words[0]!.toLowerCase()}${words.slice(1)}`
}

/** Of what may be listed in a moment. */
export const unlistedWords = (what: string): string => `Its ${what} has not been listed yet.`

const MAY_BE_OLD = ' That may be old: '

/** Without what was not heard when it was said. */
export const toldBefore = (sentence: string): string => sentence.split(MAY_BE_OLD)[0]!

/** What is bad is not taken back; said once, however often it is told. */
export const oldSentence = (sentence: string, unheard: Unheard): string =>
  `${toldBefore(sentence)}${MAY_BE_OLD}${unheardLower(unheard)}`
