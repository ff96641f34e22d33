import { parseArgs } from 'node:util'
import { rememberAddress } from './support/address'
import { readArgs } from './support/args'
import { kubectlWords, leftWords, personWords } from './support/demo-clusters'
import { demoLink } from './support/demo-setup'
import { startDemo, type DemoOptions } from './support/demo-stack'
import { Ending, main } from './support/ending'
import { parsePort } from './support/ports'

const USAGE = `npm run demo -- [options]    Drydock over two simulated management clusters
  --machines N     about so many machines (60)
  --port N         port of the pages (3000)
  --clouds         also OpenShift on GCP, Azure, vSphere and bare metal, and 4.18
  --real           over the real Cluster API managers (needs Go 1.26)
  --dir FOLDER     where the data lies (.drydock-demo); delete it to begin anew`

const say = (line: string): void => console.log(line)
const ending = new Ending()

await main(ending, async () => {
  const { values } = readArgs(USAGE, () =>
    parseArgs({
      options: {
        machines: { type: 'string' },
        port: { type: 'string', default: process.env.PORT || '3000' },
        real: { type: 'boolean', default: false },
        clouds: { type: 'boolean', default: false },
        dir: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }),
  )
  if (values.help) return say(USAGE)
  const { real, clouds } = values
  const port = parsePort(values.port)
  const machines = values.machines === undefined ? undefined : Number(values.machines)
  if (machines !== undefined && !(/^\d+$/.test(values.machines!) && machines <= 100_000)) {
    throw new Error('--machines is a whole number from 0 to 100000.')
  }
  if (machines !== undefined && real) {
    throw new Error(
      '--machines is for the simulated clusters; the real managers get a small fleet. Leave one of the two out.',
    )
  }
  const dir = values.dir ?? (real ? '.drydock-demo-real' : '.drydock-demo')
  const ready: DemoOptions['ready'] = async ({ clusters }) => {
    const link = await demoLink()
    const address = `http://localhost:${port}`
    rememberAddress(dir, address)
    say(`\nOpen this address; it signs you in, once:\n\n  ${address}${link}\n`)
    const kubectl = kubectlWords(clusters)
    if (kubectl) say(kubectl)
    say(personWords(dir))
    say(leftWords(dir, real))
  }
  await startDemo({ dir, port, machines, real, clouds, ending, say, ready })
})
