import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')
export const NEXT = join(ROOT, 'node_modules/next/dist/bin/next')
/** Arguments for node that run one of our TypeScript files. */
export const tsx = (file: string): string[] => ['--import', 'tsx', join(ROOT, file)]
