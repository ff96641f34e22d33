import { ServiceError } from '../errors'

/** What an address asks for and there is not, with the address of the same page without that. */
export interface RefusedAddress {
  message: string
  href: string
}

/** A place in a list belongs to the list that it was a place of. */
const PLACES = ['cursor', 'after']

/** The data of a page, or why its address cannot be meant; any other failure is the page's. */
export async function orRefused<T>(
  data: Promise<T>,
  path: string,
  query: URLSearchParams,
): Promise<{ data: T; refused?: never } | { data?: never; refused: RefusedAddress }> {
  try {
    return { data: await data }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid') throw error
    return { refused: { message: error.message, href: without(path, query, error.more.fields ?? []) } }
  }
}

function without(path: string, query: URLSearchParams, fields: readonly { field: string }[]): string {
  const next = new URLSearchParams(query)
  for (const key of [...PLACES, ...fields.map(({ field }) => field)]) next.delete(key)
  // What is refused goes by another name there: then the page begins anew.
  return next.size === 0 || next.size === query.size ? path : `${path}?${next}`
}
