/** Platforms whose type is not how people write them. */
export const PLATFORM_WORDS: Record<string, string> = {
  BareMetal: 'bare metal',
  IBMCloud: 'IBM Cloud',
  PowerVS: 'Power VS',
  VSphere: 'vSphere',
}

/** A platform in a sentence; filters and exports have its type. */
export const platformWords = (type: string): string => PLATFORM_WORDS[type] ?? type
