import { MASK, withoutSecrets } from '@/lib/domain/changes/secrets'
import { keyedDigest } from '@/lib/seal'

/**
 * What an image is called, as it is kept of sets and machines alike. Of an address, who asks and all that is asked for may be a
 * credential. Where anything is masked, a digest of the whole is put behind it: what differs in what is not seen is another image.
 */
export function imageName(image: string): string {
  const shown = withoutSecrets(image)
    .replace(/:\/\/[^\s/?#]*@/g, `://${MASK}@`)
    .replace(/(:\/\/[^\s?#]*[?#])[^]+/, `$1${MASK}`)
  return shown === image ? image : `${shown} (digest ${keyedDigest(image).slice(0, 12)})`
}
