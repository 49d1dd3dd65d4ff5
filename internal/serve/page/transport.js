// The way to the program: HTTP to the server that sent this page. The playground has another module
// in this place.

// ask sends a request, and gives the answer. An error has the field problem.
export async function ask(word, body = {}, signal = undefined) {
  let response;
  try {
    response = await fetch(`api/${word}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal,
    });
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw failure({ error: "erelong does not answer: is it still running?", diagnostics: [] });
  }
  if (!(response.headers.get("Content-Type") ?? "").startsWith("application/json")) {
    throw failure({ error: (await response.text()).trim(), diagnostics: [] });
  }
  const answer = await response.json();
  if (!response.ok || answer.error !== undefined) throw failure(answer);
  return answer;
}

function failure(problem) {
  return Object.assign(new Error(problem.error), { problem });
}

// follow calls tell for each event of a run of engines, up to the last.
export function follow(run, tell) {
  const source = new EventSource(`events/${run}`);
  source.onmessage = (message) => {
    const event = JSON.parse(message.data);
    if (event.last) source.close();
    tell(event);
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) {
      tell({ last: true, text: "", problem: { error: "the connection to erelong has ended", diagnostics: [] } });
    }
  };
  return () => source.close();
}

// reportOf is the address of the report of a run; null without one.
export function reportOf(run) {
  return `report/${run}`;
}

// editor is the place where a text can be changed; null where files are changed elsewhere.
export const editor = null;
