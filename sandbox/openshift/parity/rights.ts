import type { JsonObject } from '../../../lib/domain/json'
import * as b from './bodies'
import { CPMS_CHECK, INFRASTRUCTURE, NO_POLICIES, onPlatform, POLICIES } from './policies'
import { applied, apply, stanza, post, EMPTY, type Scenario, type Step } from './step'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const ROLE: JsonObject = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'parity' }
const OURS = { apiGroups: ['operator.openshift.io'], resources: ['machineconfigurations'] }
const review = (name: string, verb: string, more: JsonObject = {}): Step => ({
  ...{ name, method: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', as: 'limited' },
  body: {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {
      resourceAttributes: { group: 'operator.openshift.io', resource: 'machineconfigurations', verb, ...more },
    },
  },
})
const limited = (step: Step): Step => ({ ...step, as: 'limited' })

export const RIGHTS: Scenario[] = [
  {
    name: 'without rights',
    start: EMPTY,
    steps: [
      { name: 'patch', body: b.ackOcp(), as: 'nobody' },
      { name: 'patch, dry', body: b.ackOcp(), as: 'nobody', query: { dryRun: 'All' } },
      { name: 'a bad patch', body: { spec: null }, as: 'nobody' },
      { name: 'patch the status', path: 'cluster/status', body: { status: {} }, as: 'nobody' },
      { name: 'patch one that is not there', path: 'other', body: b.ackOcp(), as: 'nobody' },
      { name: 'get', method: 'GET', as: 'nobody' },
      { name: 'list', method: 'GET', path: '', as: 'nobody' },
      { ...post('post', applied({})), as: 'nobody' },
      { name: 'apply', type: 'apply', body: applied({}), as: 'nobody', query: { fieldManager: 'x' } },
    ],
  },
  {
    name: 'rights for the one by name',
    start: EMPTY,
    steps: [
      {
        ...{ name: 'the role', method: 'PATCH', type: 'apply', path: `${RBAC}/clusterroles/parity` },
        query: { fieldManager: 'parity', force: 'true' },
        body: {
          ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'parity' } },
          rules: [{ ...OURS, resourceNames: ['cluster'], verbs: ['get', 'patch'] }],
        },
      },
      {
        ...{ name: 'its binding', method: 'PATCH', type: 'apply', path: `${RBAC}/clusterrolebindings/parity` },
        query: { fieldManager: 'parity', force: 'true' },
        body: {
          ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'parity' } },
          roleRef: ROLE,
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'limited' }],
        },
      },
      limited({ name: 'get', method: 'GET', until: 200 }),
      limited({ name: 'patch', body: b.ackOcp() }),
      limited({ name: 'patch, dry', body: b.optOut, query: { dryRun: 'All' } }),
      limited({ name: 'patch the status', path: 'cluster/status', body: { status: {} } }),
      limited({ name: 'patch another', path: 'other', body: b.ackOcp() }),
      limited({ name: 'list', method: 'GET', path: '' }),
      limited({ name: 'list the one', method: 'GET', path: '', query: { fieldSelector: 'metadata.name=cluster' } }),
      review('may patch by name', 'patch', { name: 'cluster' }),
      review('may patch without name', 'patch'),
      review('may patch the status', 'patch', { name: 'cluster', subresource: 'status' }),
      review('may list', 'list'),
      { name: 'it goes', method: 'DELETE' },
      limited({ name: 'patch what is gone', body: b.ackOcp() }),
      limited(apply('apply what is gone', stanza(b.byOcp()))),
      { name: 'no binding', method: 'DELETE', path: `${RBAC}/clusterrolebindings/parity` },
      { name: 'no role', method: 'DELETE', path: `${RBAC}/clusterroles/parity` },
    ],
  },
]

const OTHER: JsonObject = { ...applied({}), metadata: { name: 'other' } }
const refused: Step = { name: 'sets All', body: b.managers(b.sets('All')) }
const planes: Step = { name: 'planes All there', body: b.managers(b.planes('All')) }
export const PLATFORMS: Scenario[] = [
  {
    name: 'what the platform allows',
    start: EMPTY,
    steps: [
      ...POLICIES.slice(0, 2),
      { ...refused, name: 'sets All, the platform unknown', query: { dryRun: 'All' }, until: 'no params found' },
      ...POLICIES.slice(2),
      ...onPlatform('BareMetal'),
      { ...refused, name: 'the policy is in force', query: { dryRun: 'All' }, until: 'on these platforms' },
      refused,
      { ...refused, name: 'sets All, strictly and dry', query: { dryRun: 'All', fieldValidation: 'Strict' } },
      { name: 'managed {}', body: b.managed({}) },
      { name: 'a stanza', body: b.ackOcp() },
      { name: 'a bad entry', body: b.managers(b.sets('Custom')) },
      { name: 'a bad selection', body: b.managers(b.sets('Partial')) },
      {
        ...refused,
        name: 'a patch of the status',
        path: 'cluster/status',
        body: { status: { observedGeneration: 2 } },
      },
      ...onPlatform('VSphere'),
      { ...refused, name: 'sets All in force', query: { dryRun: 'All' }, until: 200 },
      { ...refused, name: 'sets All there' },
      { ...planes, name: 'planes', query: { dryRun: 'All' }, until: CPMS_CHECK, enforced: true },
      ...onPlatform('AWS'),
      { ...planes, name: 'planes All in force', query: { dryRun: 'All' }, until: 200, enforced: true },
      planes,
      { ...post('one of another name', OTHER, { dryRun: 'All' }), until: 'machine-configuration-guards' },
      ...NO_POLICIES,
      { name: 'no infrastructure', method: 'DELETE', path: INFRASTRUCTURE },
      { ...post('one of another name, without policies', OTHER, { dryRun: 'All' }), until: 201 },
    ],
  },
]
