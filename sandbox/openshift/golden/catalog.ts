import { posix } from 'node:path'
import type { Ami, Cloud, Inventory, Template } from '../../../lib/domain/boot-images/cloud'
import { merged } from '../../../lib/domain/boot-images/merge'
import { parseStreamMap } from '../../../lib/domain/boot-images/stream'
import type { ImageContext } from '../../../lib/domain/boot-images/types'
import type { JsonObject } from '../../../lib/domain/json'
import { TableError } from './table'

/** What a table's rows name instead of writing it out, and what answered in place of AWS and vCenter when it was made. */
export interface Catalog {
  configMaps: Record<string, { data?: Record<string, string>; normalPatchedWith?: JsonObject } & JsonObject>
  secrets: Record<string, { name: string; namespace: string; data: Record<string, string> }>
  amis: (Ami & { region: string })[]
  vcenter: { server: string; templates: { path: string; productVersion: string | null }[] }
}

const stringified = (object: JsonObject): Record<string, string> => {
  const { stream, ...rest } = object
  return {
    ...(rest as Record<string, string>),
    ...(stream !== undefined && { stream: typeof stream === 'string' ? stream : JSON.stringify(stream) }),
  }
}

/** Data of a ConfigMap of the catalog; undefined: the row has none. */
export function configMapOf({ configMaps }: Catalog, name: string): Record<string, string> | undefined {
  if (name === '') return undefined
  const entry = configMaps[name]
  if (!entry) throw new TableError(`its catalog has no ConfigMap ${name}`)
  if (entry.data) return stringified(entry.data)
  return stringified(entry.normalPatchedWith ? merged(configMaps.normal!, entry.normalPatchedWith) : entry)
}

/** Secrets and ConfigMaps that exist in a row, by the names of the objects. */
export function dataOf({ secrets }: Catalog, names: readonly string[]): NonNullable<ImageContext['data']> {
  const there = names.map((name) => {
    const found = secrets[name]
    if (!found) throw new TableError(`its catalog has no Secret ${name}`)
    return found
  })
  return (name, namespace = 'openshift-machine-api') =>
    there.find((secret) => secret.name === name && secret.namespace === namespace)?.data
}

const MARKETPLACE = '679593333241'

/** `asked` collects the questions to EC2, in the words of the table. */
export function cloudOf(catalog: Catalog, asked: string[]): Cloud {
  const { amis } = catalog
  return {
    ec2: {
      image(region, id) {
        asked.push(`DescribeImages id=${id}`)
        return amis.find((ami) => ami.region === region && ami.id === id) ?? 'there is no such image'
      },
      ofProduct(region, product) {
        asked.push(`DescribeImages owner=aws-marketplace name=*${product}*`)
        return amis.filter((ami) => ami.region === region && ami.owner === MARKETPLACE && ami.name.includes(product))
      },
    },
    vcenter: {
      signIn: (server, user, password) => {
        if (server !== catalog.vcenter.server) return 'nobody answers there'
        // Two Secrets may have the name; the one that stands under it is the one that vCenter accepts.
        const good = catalog.secrets['vsphere-creds']?.data ?? {}
        const same = good[`${server}.username`] === user && good[`${server}.password`] === password
        return same ? inventoryOf(catalog) : 'user name or password is wrong'
      },
      download: (location, sha256) => {
        const served = ovaOf(catalog)
        if (!served || !URL.canParse(location) || new URL(location).host !== new URL(served.location).host)
          return 'nobody answers there'
        return sha256 === served.sha256 ? undefined : 'its checksum is another'
      },
    },
  }
}

/** The mirror of the table has one file, that of the release's own image. */
function ovaOf(catalog: Catalog) {
  const map = parseStreamMap(configMapOf(catalog, 'normal'))
  const arches = map.found ? Object.values(map.stream?.architectures ?? {}) : []
  return arches.flatMap((arch) => arch?.artifacts.vmware?.ova ?? [])[0]
}

function inventoryOf({ vcenter }: Catalog): Inventory {
  const templates = vcenter.templates.map(({ path, productVersion }): Template => ({ path, version: productVersion }))
  const folders = new Set<string>()
  for (const { path } of templates)
    for (let folder = posix.dirname(path); folder !== '/'; folder = posix.dirname(folder)) folders.add(folder)
  return {
    templates,
    hasFolder: (path) => folders.has(path),
    hasDatacenter: (name) => folders.has(`/${name}`),
  }
}
