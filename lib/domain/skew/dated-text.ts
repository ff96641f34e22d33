import type { DatedImage } from './evidence'

type Dated = Pick<DatedImage, 'kind' | 'version'>
const RHCOS = 'RHCOS '

/** As rows keep it: "4.16.0", "RHCOS 418.94.202511191518-0". */
export const datedText = ({ kind, version }: Dated): string => (kind === 'RHCOSVersion' ? RHCOS + version : version)

export const datedFromText = (text: string): Dated =>
  text.startsWith(RHCOS)
    ? { kind: 'RHCOSVersion', version: text.slice(RHCOS.length) }
    : { kind: 'OCPVersion', version: text }
