import { MiddleTruncate, Version } from '@/components/ui'

interface Configs {
  currentConfig: string | null
  desiredConfig: string | null
  currentRelease: string | null
  desiredRelease: string | null
}

/** The release that a pool has and the one that it is to have; where only the configuration differs, that. */
export function Releases({ currentConfig, desiredConfig, currentRelease, desiredRelease }: Configs) {
  if (!desiredRelease && !currentRelease) return <span className="text-ink-3">not known</span>
  if (currentConfig === desiredConfig || currentConfig === null)
    return <Version>{desiredRelease ?? currentRelease}</Version>
  if (currentRelease !== desiredRelease && desiredRelease)
    return <Version was={currentRelease}>{desiredRelease}</Version>
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-1.5">
      <Version>{desiredRelease}</Version>
      <span className="text-sm text-ink-3">new configuration</span>
    </span>
  )
}

/** Rendered configurations by name: they differ in the end of it. */
export function ConfigNames({ currentConfig, desiredConfig }: Pick<Configs, 'currentConfig' | 'desiredConfig'>) {
  const name = (config: string | null) =>
    config ? (
      <MiddleTruncate text={config} tail={6} className="max-w-56!" />
    ) : (
      <span className="text-ink-3">not known</span>
    )
  if (currentConfig === desiredConfig) return name(desiredConfig)
  return (
    <span className="inline-flex max-w-full flex-wrap items-baseline gap-x-1.5">
      {name(currentConfig)}
      <span aria-hidden className="text-ink-3">
        →
      </span>
      <span className="sr-only">wanted:</span>
      {name(desiredConfig)}
    </span>
  )
}
