/** What the boot image controller asks outside of Kubernetes. A string is the reason why there is no answer. */
export interface Cloud {
  ec2: Ec2
  vcenter: VCenter
}

export interface Ami {
  id: string
  /** AWS account */
  owner: string
  name: string
  description: string
  /** ISO 8601 */
  created: string
}

export interface Ec2 {
  image(region: string, id: string): Ami | string
  /** Marketplace images whose names contain the product's id */
  ofProduct(region: string, product: string): Ami[] | string
}

export interface VCenter {
  signIn(server: string, user: string, password: string): Inventory | string
  /** Why the image cannot be downloaded, or undefined. */
  download(location: string, sha256: string): string | undefined
}

export interface Template {
  /** whole inventory path, "/DC0/vm/name" */
  path: string
  /** product version; null: the template has none */
  version: string | null
}

export interface Inventory {
  templates: readonly Template[]
  hasFolder(path: string): boolean
  hasDatacenter(name: string): boolean
}
