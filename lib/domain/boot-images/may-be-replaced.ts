/** Where the same name may hold another image by now: a template of vSphere, and what is behind an address on bare metal. */
export const REPLACED_ON: readonly string[] = ['VSphere', 'BareMetal']

export const mayBeReplaced = (platform: string | null): boolean => platform !== null && REPLACED_ON.includes(platform)
