/** So much of its end is always kept where nothing in a name is a version. */
const USUAL = 12
/** More of it would not fit on a phone. */
const MOST = 40

/** How much of the end of an image's name is not to be cut: from its version on, of which no digit may be lost. */
export function imageTail(name: string): number {
  const version = name.startsWith('ami-') ? 0 : name.search(/\d+(?:[.-]\d+)+/)
  return version < 0 ? USUAL : Math.min(name.length - version, MOST)
}
