import com.helger.phive.api.executorset.IValidationExecutorSet;
import com.helger.phive.api.executorset.ValidationExecutorSetRegistry;
import com.helger.phive.api.execute.ValidationExecutionManager;
import com.helger.phive.api.validity.IValidityDeterminator;
import com.helger.phive.en16931.EN16931Validation;
import com.helger.phive.peppol.PeppolValidation;
import com.helger.phive.peppol.PeppolValidation2026_05;
import com.helger.phive.xml.source.IValidationSourceXML;
import com.helger.phive.xml.source.ValidationSourceXML;
import com.helger.xml.serialize.read.DOMReader;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Validates electronic invoices by the official rules. Arguments: ubl-invoice=FILE, ubl-credit-note=FILE (Peppol BIS Billing 3.0),
 * cii=FILE (EN 16931). Prints one line for each error, and exits with 1 when there is one.
 */
public class Validate {
  public static void main(String[] arguments) throws Exception {
    var registry = new ValidationExecutorSetRegistry<IValidationSourceXML>();
    EN16931Validation.initEN16931(registry);
    PeppolValidation.initStandard(registry);
    List<String> errors = new ArrayList<>();
    for (String argument : arguments) {
      String kind = argument.substring(0, argument.indexOf('='));
      File file = new File(argument.substring(kind.length() + 1));
      var id = switch (kind) {
        case "ubl-invoice" -> PeppolValidation2026_05.VID_OPENPEPPOL_INVOICE_UBL_V3;
        case "ubl-credit-note" -> PeppolValidation2026_05.VID_OPENPEPPOL_CREDIT_NOTE_UBL_V3;
        case "cii" -> EN16931Validation.VID_CII_1316;
        default -> throw new IllegalArgumentException(kind);
      };
      IValidationExecutorSet<IValidationSourceXML> rules = registry.getOfID(id);
      var results = ValidationExecutionManager.executeValidation(
          IValidityDeterminator.createDefault(), rules, ValidationSourceXML.create(null, DOMReader.readXMLDOM(file)), Locale.ROOT);
      results.forEachFlattened(error -> {
        if (error.isError()) errors.add(file.getName() + ": " + error.getAsString(Locale.ROOT));
      });
      System.err.println(file.getName() + ": " + results.size() + " sets of rules of " + id.getAsSingleID());
    }
    errors.forEach(System.out::println);
    System.exit(errors.isEmpty() ? 0 : 1);
  }
}
