import { readFileSync } from 'node:fs'

/** A file's text; "-" is standard input. */
export function readText(file: string, what: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new Error(`The ${what} ${file} cannot be read: ${(error as Error).message}`)
  }
}
