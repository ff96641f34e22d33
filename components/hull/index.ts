export { BigHull } from './big-hull'
export { SmallHull } from './hull'
export { HullLegend } from './legend'
export * from '@/lib/domain/hull'
