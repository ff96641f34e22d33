/**
 * Whether an approval is bound to how many machines it showed that go. Workers that are replaced all go, and so do those that came by
 * scaling while it waited.
 */
export const isBound = (groupKind: string, mode: string): boolean =>
  mode !== 'replace' || groupKind === 'KubeadmControlPlane'
