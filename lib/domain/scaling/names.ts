/** On a MachineSet: by how much Drydock scaled it while its group was held, and from what that counts: "+2 of 3". */
export const SCALED = 'drydock.dev/scaled'
/** On a MachineSet: what stood in SKIP_PREFLIGHT before Drydock added to it. */
export const SKIPPED = 'drydock.dev/skipped-preflight-checks'
/** Cluster API's own: checks that its MachineSet controller does not make before it creates machines, as a list with commas. */
export const SKIP_PREFLIGHT = 'machineset.cluster.x-k8s.io/skip-preflight-checks'
