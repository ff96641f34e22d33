import type * as actions from '@/app/(app)/clusters/actions'

/** The server actions of these pages, handed down by the page: components import no route. */
export type ClusterActions = Omit<typeof actions, 'inspect' | 'test' | 'add'>
