import type { Cloud } from '../../../lib/domain/boot-images/cloud'
import { amiOf } from '../seed'

const RED_HAT = '531415883065'
const SOMEBODY = '123456789012'

/** As the names of a release's images have them. */
const ARCHES = ['', '-aarch64']

/** A cloud that has the images of the cluster's own releases from Red Hat, and takes every other image for somebody's own. */
export const simulatedCloud = (history: readonly { version?: string }[]): Cloud => ({
  ec2: {
    image: (region, id) => {
      const known = history.some(({ version }) => ARCHES.some((arch) => amiOf(`${version}${arch}`, region) === id))
      return { id, owner: known ? RED_HAT : SOMEBODY, name: id, description: '', created: '' }
    },
    ofProduct: () => [],
  },
  vcenter: { signIn: () => 'there is none in the sandbox', download: () => undefined },
})
