/**
 * What Cluster API writes to the machines that are there and rolls nothing out for (mdutil/util.go,
 * MachineTemplateDeepCopyRolloutFields), besides labels, annotations and the time-outs of deletion.
 */
export const PROPAGATED = ['minReadySeconds', 'readinessGates', 'taints'] as const

/** Labels and annotations that the controllers set themselves. */
export const isControllers = (key: string): boolean => /^(machine-template-hash$|(.*\.)?cluster\.x-k8s\.io\/)/.test(key)
