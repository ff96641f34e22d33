import { Agent, request } from 'undici'

/** A manager in a process of its own, so that its work is not taken for the gate's. */
export interface Asked {
  url: string
  ca: string
  bodies: string[]
  /** So many at a time, each as soon as its last one is answered; or so many a second. */
  askers?: number
  perSecond?: number
}
export interface Answers {
  /** How long each took. */
  took: number[]
  allMs: number
  success: number
}

let agent: Agent | undefined

process.on('message', (asked: Asked) => void run(asked).then((answers) => process.send!(answers)))

async function run({ url, ca, bodies, askers, perSecond }: Asked): Promise<Answers> {
  agent ??= new Agent({ connect: { ca }, connections: 100, pipelining: 1 })
  const answers: Answers = { took: [], allMs: 0, success: 0 }
  const ask = async (body: string): Promise<void> => {
    const started = performance.now()
    const answer = await request(url, { method: 'POST', body, dispatcher: agent })
    const { status } = (await answer.body.json()) as { status: string }
    answers.took.push(performance.now() - started)
    if (status === 'Success') answers.success++
  }
  const started = performance.now()
  if (askers) {
    const left = [...bodies]
    const asker = async () => {
      for (let body = left.pop(); body; body = left.pop()) await ask(body)
    }
    await Promise.all(Array.from({ length: askers }, asker))
  } else {
    const all: Promise<void>[] = []
    for (const [i, body] of bodies.entries()) {
      const due = started + (i * 1000) / perSecond!
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
      all.push(ask(body))
    }
    await Promise.all(all)
  }
  return { ...answers, allMs: performance.now() - started }
}
