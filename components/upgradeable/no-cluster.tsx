import { EmptyState, LinkButton } from '@/components/ui'

/** The scope is on a cluster whose updates nobody here knows: it is not OpenShift, or was not read yet. */
export const NoCluster = ({ name }: { name: string }) => (
  <div className="grid gap-4">
    <h1>Upgradeable</h1>
    <EmptyState
      title={`Nothing is known of minor updates of ${name}.`}
      action={<LinkButton href="/upgradeable">All OpenShift clusters</LinkButton>}
    >
      It is no OpenShift cluster, or Drydock has not read it yet.
    </EmptyState>
  </div>
)
