/** How a boot image is called by its verdict, wherever that is shown or taken out: of a set, of nodes, in facets and in files. */
export const IMAGE_WORDS: Readonly<Record<string, string>> = {
  below: 'below the floor',
  outdated: 'outdated',
  // Why that is so stands beside it: on AWS, say, that it is not the image of the release.
  unknown: 'not known',
  newer: 'newer than the release',
  custom: 'custom',
  excluded: 'excluded',
  current: 'current',
}

export const imageWords = (verdict: string): string => IMAGE_WORDS[verdict] ?? verdict
