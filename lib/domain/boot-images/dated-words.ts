/** How old an image is, as far as its name tells: a marketplace's says no build number, and of OpenShift only the minor release. */
export function datedWords(dated: string, image: string | null): string {
  if (!image?.includes(':')) return dated
  const [, minor, number] = /^(4[.]([0-9]+))[.]0$/.exec(dated) ?? []
  const named = image.slice(image.lastIndexOf(':') + 1)
  if (minor && (named.startsWith(`4.${number}.`) || named.startsWith(`4${number}.`))) return minor
  return dated.startsWith('RHCOS ') ? dated.replace(/-0$/, '') : dated
}
