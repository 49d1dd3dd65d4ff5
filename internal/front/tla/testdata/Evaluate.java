import java.util.regex.Pattern;
import tla2sany.semantic.ModuleNode;
import tla2sany.semantic.OpDefNode;
import tlc2.tool.impl.FastTool;
import tlc2.tool.impl.Tool;
import tlc2.util.FP64;
import tlc2.value.impl.Value;
import util.SimpleFilenameToStream;

/** Evaluates the definitions e1, e2, ... of a module by TLC, and prints a line for each. */
public class Evaluate {
  public static void main(String[] args) {
    FP64.Init(0);
    Tool tool = new FastTool(args[1], args[1], new SimpleFilenameToStream(args[0]));
    ModuleNode module = tool.getSpecProcessor().getRootModule();
    StringBuilder out = new StringBuilder();
    for (int i = 1;; i++) {
      OpDefNode e = module.getOpDef("e" + i);
      if (e == null) {
        break;
      }
      try {
        Value value = (Value) tool.eval(e.getBody());
        value.fingerPrint(FP64.New()); // as of a variable, so that all of it is computed
        String text = value.toString();
        out.append("value ").append(text);
      } catch (Throwable t) {
        String message = String.valueOf(t.getMessage()) + " " + t.getClass().getSimpleName();
        out.append("error ").append(message.replaceAll("\\s+", " "));
      }
      out.append('\n');
    }
    System.out.print(out);
    System.out.flush();
    System.exit(0);
  }
}
