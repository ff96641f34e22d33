/** Platforms of which imageInWords knows where a spec names the image. */
const READ_ON: readonly string[] = ['AWS', 'Azure', 'Azure Stack Hub', 'BareMetal', 'GCP', 'VSphere']

export const isImageRead = (platform: string | null): boolean => platform !== null && READ_ON.includes(platform)
